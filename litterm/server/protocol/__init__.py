"""What server and client have in common beside the operations: data classes as JSON, and errors as statuses."""
