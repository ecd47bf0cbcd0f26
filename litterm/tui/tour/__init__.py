"""The guided tour: five steps that watch what one does."""
