"""Ask a service whether it sees what it is sent, all of it and in order."""
