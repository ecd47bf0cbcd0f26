"""What server and client have in common: requests and answers, their JSON, and errors as statuses."""
