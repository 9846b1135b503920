"""Work that no request waits for: jobs, e-mails, deleting what has expired, returning memory to the system."""
