import { connectionOptions, type TemporalSettings } from '#config/temporal-address.ts'
import { Backoff } from '#domain/backoff.ts'
import { addressMessages } from '#workflows/messages/address-contract.ts'
import { Client, Connection, type ClientOptions } from '@temporalio/client'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { within } from '../http/deadline.ts'
import { troubleIn } from './answers.ts'
import { AnswerOverdue, GatewayUnavailable, type SignalGateway } from './signals.ts'

const CLIENT_GRACE_MS = 50
const CALL_PAUSE_MS = { first: 50, most: 500 }

export interface Calls {
  client: Client
  taskQueue: string
  /** Repeats an idempotent call while Temporal is away, until the time is over. */
  bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T>
}

export function callsTo(
  settings: TemporalSettings,
  dataConverter: NonNullable<ClientOptions['dataConverter']>,
): Calls & Pick<SignalGateway, 'checkReachable' | 'close'> {
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = settings
  const connection = Connection.lazy({
    ...connectionOptions(settings),
    // By default gRPC waits up to two minutes before it tries a restarted server again.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 },
    // The SDK's own retries go on after a deadline, and fail outside any call on a closed connection.
    interceptors: [],
  })
  const client = new Client({
    connection,
    namespace,
    dataConverter,
    interceptors: { workflow: [addressMessages(randomUUID)] },
  })

  async function bounded<T>(milliseconds: number, call: () => Promise<T>): Promise<T> {
    const end = Date.now() + milliseconds
    let wasLate = false
    const backoff = new Backoff(CALL_PAUSE_MS)
    for (;;) {
      let pause: number
      try {
        return await within(end - Date.now() + CLIENT_GRACE_MS, 'Temporal', client.withDeadline(end, call))
      } catch (error) {
        const trouble = troubleIn(error)
        if (trouble === null) throw error
        wasLate ||= trouble === 'late'
        pause = backoff.next()
        if (Date.now() + pause >= end) {
          const Unavailable = wasLate ? AnswerOverdue : GatewayUnavailable
          throw new Unavailable('Temporal did not answer', { cause: error })
        }
      }
      await setTimeout(pause)
    }
  }

  return {
    client,
    taskQueue,
    bounded,
    checkReachable: (milliseconds) =>
      bounded(milliseconds, async () => {
        await connection.workflowService.describeNamespace({ namespace })
      }),
    close: () => connection.close(),
  }
}
