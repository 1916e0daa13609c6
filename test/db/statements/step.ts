import { format } from 'sql-formatter'
import type { EntityManager } from '#db/engine/database.ts'
import { SERVER_TIME } from '#db/engine/server-clock.ts'
import { statementsOf } from '#test/support/statements.ts'

/** A step of which the SQL is composed of parts, and what it sends to PostgreSQL on a real database. */
export interface ComposedStep {
  /** Of the file that shows its SQL. */
  name: string
  /** The function that sends it. */
  of: string
  /** Everything that it sends, laid out for a reader; `$1`, `$2` … stand for values. */
  sql(em: EntityManager): Promise<string>
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
  sql: async (em) => {
    const arranged = await arrange(em)
    const sent = await statementsOf(() => run(em, arranged))
    const ofStep = sent.filter(({ text }) => text !== SERVER_TIME)
    return ofStep.map(({ text }) => `${format(text, LAYOUT)};\n`).join('\n')
  },
})

const LAYOUT = { language: 'postgresql', expressionWidth: 100, linesBetweenQueries: 1 } as const
