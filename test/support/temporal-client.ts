import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { readKeyRing } from '#config/key-ring.ts'
import { payloadConversion } from '#config/temporal.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'

/** A client that reads what an installation with these keys has encrypted, and sends what it believes. */
export async function connectTemporal(address: string, keyFile: string): Promise<Client> {
  const dataConverter = payloadConversion(
    { TEMPORAL_ENCRYPTION: 'on' },
    await readKeyRing(keyFile, false),
    'client',
  )
  return new Client({
    connection: await Connection.connect({ address }),
    namespace: 'default',
    dataConverter,
    interceptors: { workflow: [addressMessages(randomUUID)] },
  })
}
