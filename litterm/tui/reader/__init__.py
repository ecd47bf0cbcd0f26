"""The reader pane."""
