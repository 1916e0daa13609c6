import { reconcile, type Reconciliation } from '#api/reconcile/reconcile.ts'
import { createTemporalGateway } from '#api/temporal/gateway.ts'
import { BrokerGates, gatedBroker } from '#brokers/gates.ts'
import { connectBroker } from '#brokers/registry.ts'
import { requestsPerMinute } from '#domain/account/broker-types.ts'
import { apiSettings, readSettings } from '#config/env.ts'
import { keysFor, readKeyRing } from '#config/key-ring.ts'
import { createLogger } from '#config/logger.ts'
import { payloadConversion } from '#config/temporal.ts'
import { openCredentials } from '#db/broker/credentials.ts'
import { gateExchange } from '#db/broker/gate-exchange.ts'
import type { Installation } from '../start/installation.ts'
import { readLocalSettings } from '../start/ports.ts'

/**
 * Prints each difference with its outcome. Returns whether all was compared and none remains.
 *
 * @param patience milliseconds for the service to resolve differences; 0 changes nothing
 * @param since beginning of the ended orders; by default a day ago, longer after a restoration
 */
export async function reconcileInstallation(
  { database, keyFile }: Installation,
  patience: number,
  since?: Date,
): Promise<boolean> {
  const { TEMPORAL_ADDRESS, TEMPORAL_PORT } = readLocalSettings()
  const settings = {
    ...readSettings(apiSettings),
    TEMPORAL_ADDRESS: TEMPORAL_ADDRESS ?? `127.0.0.1:${TEMPORAL_PORT}`,
  }
  const ring = await readKeyRing(keyFile, false)
  const secretKeys = keysFor(ring, 'stored-secrets')
  const gates = new BrokerGates({ perMinute: requestsPerMinute, exchange: gateExchange(database.em) })
  const connect = gatedBroker(connectBroker, gates)
  const gateway = createTemporalGateway(settings, payloadConversion(settings, ring, 'client'))
  try {
    const result = await reconcile({
      database,
      gateway,
      brokerOf: (connection) =>
        connect({
          connectionId: connection.brokerId,
          requestClass: 'comparison',
          brokerType: connection.brokerType,
          baseUrl: connection.baseUrl,
          credentials: openCredentials(secretKeys, connection),
          requestTimeoutMs: settings.BROKER_REQUEST_TIMEOUT,
        }),
      logger: createLogger('reconcile', { ...settings, LOG_LEVEL: 'error' }),
      patience,
      since,
      lookEvery: 2_000,
      tell: (line) => console.log(line),
    })
    console.log(inWords(result))
    return result.failures.length === 0 && result.outcomes.every(({ isMended }) => isMended)
  } finally {
    await gateway.close()
  }
}

export function inWords({ compared, outcomes, failures, failedAttempts }: Reconciliation): string {
  const { accounts, orders, executions, workflows, acknowledged } = compared
  const left = outcomes.filter(({ isMended }) => !isMended)
  const lines = [
    ...outcomes.map(({ difference: { message, advice }, isMended }) =>
      isMended ? `mended  ${message}` : `LEFT    ${message}\n        ${advice}`,
    ),
    ...failedAttempts.map(({ message }) => `tried   ${message}`),
    ...failures.map(({ message }) => `FAILED  ${message}`),
    `${workflows} workflows, ${accounts} accounts, ${orders} orders and ${executions} executions were compared.`,
  ]
  if (acknowledged > 0)
    lines.push(
      `${acknowledged} orders that the ledger lacks were acknowledged with the alert set_back, and are not named again.`,
    )
  if (outcomes.length > 0)
    lines.push(
      `${outcomes.length} differences: ${outcomes.length - left.length} mended, ${left.length} left.`,
    )
  else if (failures.length === 0) lines.push('Ledger, Temporal and brokers say the same.')
  if (failures.length > 0) lines.push(`${failures.length} parts could not be compared.`)
  return lines.join('\n')
}
