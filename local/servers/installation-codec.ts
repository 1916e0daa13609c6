import { keysFor, openKeyRing } from '#config/key-ring.ts'
import { payloadCodec, type PayloadCodec } from '#config/payload-codec.ts'

/** Decrypts what the installation with that key file has written into histories. */
export async function installationCodec(keyFile: string): Promise<PayloadCodec> {
  const ring = await openKeyRing({ KEY_FILE: keyFile }, console.error)
  // Histories from before encryption are shown too; what workers believe is decided elsewhere.
  return payloadCodec(keysFor(ring, 'temporal-payloads'), { acceptsPlain: true, readsAnyOwner: true })
}
