import type { Database } from './database.ts'

class CommitRefused extends Error {
  override readonly name = 'CommitRefused'
}

/** Rolls back transactions that no caller awaits; `why` is for the log. */
export const refuseCommits = (database: Database, why: () => string | null): void =>
  void database.em.getEventManager().registerSubscriber({
    beforeTransactionCommit() {
      const refused = why()
      if (refused !== null) throw new CommitRefused(refused)
    },
  })
