"""A hall of phones that answer one lecturer: who is here, what was answered, what was learned."""
