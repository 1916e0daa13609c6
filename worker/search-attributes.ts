import type { Client } from '@temporalio/client'
import { searchAttributes } from '#workflows/signal/contract.ts'

/** gRPC status and Temporal's IndexedValueType of a keyword (temporal/api/enums/v1/common.proto). */
const KEYWORD = 2

/** Registers the search attributes: the server refuses workflows with unknown ones. */
export async function registerSearchAttributes(client: Client): Promise<void> {
  const { namespace } = client.options
  const operator = client.connection.operatorService
  const { customAttributes } = await operator.listSearchAttributes({ namespace })
  const missing = Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes))
  if (missing.length === 0) return
  await operator.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(({ name }) => [name, KEYWORD])),
  })
}
