import { fileURLToPath } from 'node:url'
import { keysFor, type DatedKeyRing } from './key-ring.ts'
import { payloadCodec, type PayloadCodec } from './payload-codec.ts'

/** The SDK loads it, here and in the workflow bundle. */
export const FAILURE_CONVERTER = fileURLToPath(new URL('../workflows/failure-converter.ts', import.meta.url))

/** Part of the workflow bundle. */
export const WORKFLOW_INTERCEPTORS = fileURLToPath(
  new URL('../workflows/messages/interceptors.ts', import.meta.url),
)

export interface PayloadConversion {
  payloadCodecs?: PayloadCodec[]
  failureConverterPath?: string
}

/**
 * Conversion by TEMPORAL_ENCRYPTION, the same for every client and worker. Clients throw on unreadable payloads;
 * workers mark them, and the workflow refuses them.
 */
export function payloadConversion(
  { TEMPORAL_ENCRYPTION }: { TEMPORAL_ENCRYPTION: 'on' | 'accept-plain' | 'off' },
  ring: DatedKeyRing,
  reader: 'client' | 'worker',
): PayloadConversion {
  if (TEMPORAL_ENCRYPTION === 'off') return {}
  const codec = payloadCodec(keysFor(ring, 'temporal-payloads'), {
    acceptsPlain: TEMPORAL_ENCRYPTION === 'accept-plain',
    unreadable: reader === 'worker' ? 'mark' : 'throw',
  })
  return { payloadCodecs: [codec], failureConverterPath: FAILURE_CONVERTER }
}
