// Package acl is who may do what: users, the rules that make them, and the
// decision whether a user may run a command with its keys and channels.
//
// Rules are the language of ACL SETUSER and of ACL files, the same as in real
// servers. A User is an immutable value; a rule makes another one of it. An
// Account is a name under which the current value is found: clients hold their
// account, so a change reaches all of them at once. Accounts are all there
// are, with the file they are kept in.
//
// Commands are known by number and name only (Catalogue), which keeps the
// package apart from their execution: whoever runs commands describes one in a
// Request and asks User.Check. A user that may do everything (Unlimited) needs
// no request, so such a user costs a look at a flag.
//
// Nothing here does I/O but ReadFile and WriteFile. The node's commands and
// its start call the package.
package acl
