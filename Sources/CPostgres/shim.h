#ifndef SUBLEDGER_CPOSTGRES_SHIM_H
#define SUBLEDGER_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

/* Character constants only, which Swift does not import. No logic. */

static const int subledger_diag_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int subledger_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int subledger_diag_message = PG_DIAG_MESSAGE_PRIMARY;

#endif
