import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EntityManager } from '#db/engine/database.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { MANUAL_ORDER_STEPS } from './manual-order-steps.ts'
import { SHARED_STEPS } from './shared-steps.ts'
import { SIGNAL_STEPS } from './signal-steps.ts'
import type { ComposedStep } from './step.ts'

/** Every step of which the SQL is composed. */
export const COMPOSED_STEPS: readonly ComposedStep[] = [
  ...SIGNAL_STEPS,
  ...MANUAL_ORDER_STEPS,
  ...SHARED_STEPS,
]

const FOLDER = join(REPOSITORY, 'test/db/statements/sql')

/** The file that shows what a step sends, as it should be. */
export const goldenText = async (em: EntityManager, { of, ...composed }: ComposedStep): Promise<string> =>
  `-- ${of} sends (written by npm run docs):\n\n${await composed.sql(em)}`

/** The file that shows what a step sends, as it is. */
export const goldenFile = (name: string): Promise<string> => readFile(join(FOLDER, `${name}.sql`), 'utf8')

/** Names of the files that there are. */
export const goldenNames = async (): Promise<string[]> =>
  (await readdir(FOLDER)).map((file) => file.replace(/\.sql$/, ''))

/** Writes every file anew, from a migrated database, and removes those of steps that are gone. */
export async function writeGoldenFiles(em: EntityManager): Promise<void> {
  await rm(FOLDER, { recursive: true, force: true })
  await mkdir(FOLDER)
  for (const composed of COMPOSED_STEPS)
    await writeFile(join(FOLDER, `${composed.name}.sql`), await goldenText(em, composed))
}
