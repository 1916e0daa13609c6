import type { EntityManager } from '#db/engine/database.ts'
import { SERVER_TIME } from '#db/engine/query.ts'
import { statementsOf, type SentStatement } from '#test/support/statements.ts'

/** A step of which the SQL is composed of parts, and what it sends to PostgreSQL on a real database. */
export interface ComposedStep {
  name: string
  /** The function that sends it. */
  of: string
  /** Everything that it sends, in order: each is a message, and PostgreSQL has run it. */
  sent(em: EntityManager): Promise<SentStatement[]>
}

/**
 * @param arrange stores what the step is about
 * @param run the step
 */
export const step = <T>(
  name: string,
  of: { name: string },
  arrange: (em: EntityManager) => Promise<T>,
  run: (em: EntityManager, arranged: T) => Promise<unknown>,
): ComposedStep => ({
  name,
  of: of.name,
  sent: async (em) => {
    const arranged = await arrange(em)
    const sent = await statementsOf(() => run(em, arranged))
    return sent.filter(({ text }) => text !== SERVER_TIME)
  },
})
