"""Work that nobody waits for: jobs, e-mails, deleting what has expired."""
