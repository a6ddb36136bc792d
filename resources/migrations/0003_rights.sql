-- Who may do what: on PostgreSQL people's programs change nothing by themselves but through these functions, which
-- look at the login (session_user) and write down what was asked.

-- An audit row is never changed. Whoever owns the table could still drop this; the chain of hashes would show it.
--sqlite CREATE TRIGGER sendoff_audit_update BEFORE UPDATE ON sendoff_audit BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END
---
--sqlite CREATE TRIGGER sendoff_audit_delete BEFORE DELETE ON sendoff_audit BEGIN SELECT RAISE(ABORT, 'audit rows are never removed'); END
