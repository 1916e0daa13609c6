import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format } from 'sql-formatter'
import type { EntityManager } from '#db/engine/database.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { BY_HAND_STEPS } from './by-hand-steps.ts'
import { SHARED_STEPS } from './shared-steps.ts'
import { SIGNAL_STEPS } from './signal-steps.ts'
import type { ComposedStep } from './step.ts'

/** Every step of which the SQL is composed. */
export const COMPOSED_STEPS: readonly ComposedStep[] = [...SIGNAL_STEPS, ...BY_HAND_STEPS, ...SHARED_STEPS]

/**
 * Steps whose text a reviewer reads, one of each kind: what an order is judged by (`entry-facts`), because a condition that
 * is lost there costs money, and a dry run reads the same parts; a signal that is accepted
 * (`signal-received`) and a step of its life (`entry-accepted`), because every other write is composed like them; the watch
 * over work that is due (`overdue-work`) and the live feed (`live-news`), because they run all the time. The gate of orders
 * is left to test/db/order/throttle.test.ts, lists to test/db/engine/list-plans.test.ts.
 */
const SHOWN = new Set(['entry-facts', 'signal-received', 'entry-accepted', 'overdue-work', 'live-news'])
export const SHOWN_STEPS = COMPOSED_STEPS.filter(({ name }) => SHOWN.has(name))

const FOLDER = join(REPOSITORY, 'test/db/statements/sql')
const LAYOUT = { language: 'postgresql', expressionWidth: 100, linesBetweenQueries: 1 } as const

/** The file that shows what a step sends, laid out for a reader, as it should be; `$1`, `$2` … stand for values. */
export async function goldenText(em: EntityManager, { of, sent }: ComposedStep): Promise<string> {
  const statements = (await sent(em)).map(({ text }) => `${format(text, LAYOUT)};\n`)
  return `-- ${of} sends (written by npm run docs):\n\n${statements.join('\n')}`
}

/** The file that shows what a step sends, as it is. */
export const goldenFile = (name: string): Promise<string> => readFile(join(FOLDER, `${name}.sql`), 'utf8')

/** Names of the files that there are. */
export const goldenNames = async (): Promise<string[]> =>
  (await readdir(FOLDER)).map((file) => file.replace(/\.sql$/, ''))

/** Writes every file anew, from a migrated database, and removes those of steps that are gone. */
export async function writeGoldenFiles(em: EntityManager): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER)
  for (const composed of SHOWN_STEPS)
    await writeFile(join(FOLDER, `${composed.name}.sql`), await goldenText(em, composed))
}
