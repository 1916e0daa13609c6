import { readFileSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import { z } from 'zod'
import { StartupError } from '../processes/startup-error.ts'

/** The last file of a complete back-up: a folder without it was cut off. */
export const MANIFEST = 'manifest.json'
/** The folder in a back-up that holds what goes into the data folder, under the same paths. */
export const DATA = 'data'

const path = z
  .string()
  .refine(
    (text) => text !== '' && normalize(text) === text && !isAbsolute(text) && !text.startsWith('..'),
    'is no path within the back-up',
  )
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const manifest = z.strictObject({
  format: z.literal(1),
  /** Version of the service that made it. */
  service: z.string(),
  /** UTC. */
  startedAt: z.iso.datetime(),
  /** UTC: what was committed to the ledger until then is in it. */
  ledgerAt: z.iso.datetime(),
  /** UTC: what the paper venue had done until then is in it; null where the venue runs elsewhere. */
  venueAt: z.iso.datetime().nullable(),
  postgres: z.strictObject({
    version: z.string(),
    /** Names the database cluster, and so the installation. */
    systemId: z.string(),
    /** Names of the migrations that were applied. */
    schema: z.array(z.string()),
  }),
  /** The file with the installation's keys, beside the back-up unless it was moved. */
  keys: z.strictObject({ name: path, sha256 }),
  folders: z.array(path),
  files: z.array(z.strictObject({ path, size: z.int().nonnegative(), sha256 })),
})

/** The content of a back-up; paths are relative to its folder {@link DATA}, sizes are bytes. */
export type Manifest = z.infer<typeof manifest>

/** Null when the folder holds no complete back-up. Throws {@link StartupError} when its manifest cannot be used. */
export function readManifest(folder: string): Manifest | null {
  const file = join(folder, MANIFEST)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
  try {
    return manifest.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message
    throw new StartupError(`${file} is damaged, or of another version of Durable Trader: ${why}`, {
      cause: error,
    })
  }
}
