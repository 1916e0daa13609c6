import { z } from 'zod'
import { withoutSecretsIn } from './secrets.ts'
import { isPlainText } from './values.ts'

const MAX_METADATA_BYTES = 16 * 1024

export const metadata = () =>
  z
    .record(z.string(), z.unknown(), { error: 'must be an object' })
    .refine(
      (value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_METADATA_BYTES,
      'must be at most 16 KiB of JSON',
    )
    .superRefine((value, context) => {
      for (const path of unstorable(value, [])) {
        context.addIssue({
          code: 'custom',
          path,
          message: 'must not contain control characters, broken surrogate pairs or infinite numbers',
        })
      }
    })
    .transform((value) => withoutSecretsIn(value, 'notes') as Record<string, unknown>)

/** Paths of text, keys included, that cannot be stored; the depth is bounded. */
function* unstorable(value: unknown, path: (string | number)[]): Generator<(string | number)[]> {
  if (typeof value === 'string' && !isPlainText(value, { lineBreaks: true })) yield path
  if (typeof value === 'number' && !Number.isFinite(value)) yield path
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key
    if (!isPlainText(key)) yield [...path, step]
    yield* unstorable(inner, [...path, step])
  }
}
