import { readFileSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import { z } from 'zod'
import { StartupError } from '../processes/startup-error.ts'

/** Name of the file that is written last: a back-up without it was cut off. */
export const MANIFEST = 'manifest.json'
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
  service: z.string(),
  /** UTC. */
  startedAt: z.iso.datetime(),
  /** UTC instant of the copy; earlier commits are in it. */
  ledgerAt: z.iso.datetime(),
  /** UTC; null for a venue that runs elsewhere. */
  venueAt: z.iso.datetime().nullable(),
  postgres: z.strictObject({
    version: z.string(),
    systemId: z.string(),
    schema: z.array(z.string()),
  }),
  keys: z.strictObject({ name: path, sha256 }),
  folders: z.array(path),
  files: z.array(z.strictObject({ path, size: z.int().nonnegative(), sha256 })),
})

export type Manifest = z.infer<typeof manifest>

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
