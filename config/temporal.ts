import { fileURLToPath } from 'node:url'
import { keysFor, type DatedKeyRing } from './key-ring.ts'
import { payloadCodec, type PayloadCodec } from './payload-codec.ts'

/** Loaded by the SDK, here and in the workflow bundle. */
export const FAILURE_CONVERTER = fileURLToPath(new URL('../workflows/failure-converter.ts', import.meta.url))

/** Stands between our workflows and what Temporal brings them; part of the workflow bundle. */
export const WORKFLOW_INTERCEPTORS = fileURLToPath(
  new URL('../workflows/messages/interceptors.ts', import.meta.url),
)

/** How clients and workers turn data into payloads and back; an option of the SDK. */
export interface PayloadConversion {
  payloadCodecs?: PayloadCodec[]
  failureConverterPath?: string
}

/**
 * The conversion that TEMPORAL_ENCRYPTION asks for; every client and worker of an installation needs the same. Clients
 * throw on what they cannot read; workers put a mark in its place, which the workflow refuses.
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
