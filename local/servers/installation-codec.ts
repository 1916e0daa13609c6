import { keysFor, openKeyRing } from '#config/key-ring.ts'
import { payloadCodec, type PayloadCodec } from '#config/payload-codec.ts'

export async function installationCodec(...ring: Parameters<typeof openKeyRing>): Promise<PayloadCodec> {
  // Histories from before encryption are shown too; workers have stricter rules.
  return payloadCodec(keysFor(await openKeyRing(...ring), 'temporal-payloads'), {
    acceptsPlain: true,
    readsAnyOwner: true,
  })
}
