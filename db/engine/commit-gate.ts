import type { Database } from './database.ts'

/** The transaction has no waiting request any more, and is rolled back. */
class CommitRefused extends Error {
  override readonly name = 'CommitRefused'
}

/** Has the transactions of this database rolled back that nobody waits for any more at their end, in words for the log. */
export const refuseCommits = (database: Database, why: () => string | null): void =>
  void database.em.getEventManager().registerSubscriber({
    beforeTransactionCommit() {
      const refused = why()
      if (refused !== null) throw new CommitRefused(refused)
    },
  })
