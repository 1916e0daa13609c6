import type { Broker, BrokerConnectionSettings } from '#brokers/port.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { BrokerDirectory, SessionCalendar } from '../brokers.ts'
import type { FlattenActivities } from '../contract.ts'
import { withHeartbeat } from '../failures.ts'
import { beginFlatByClose } from './by-close.ts'
import { flattenRound, type EntryStopper } from './round.ts'

interface Given {
  em: EntityManager
  secretKeys: EncryptionKeys
  connectBroker(settings: BrokerConnectionSettings): Broker
  requestTimeoutMs: number
  stopper: EntryStopper
  now?(): number
}

export function createFlattenActivities({
  em,
  secretKeys,
  connectBroker,
  requestTimeoutMs,
  stopper,
  now = Date.now,
}: Given): FlattenActivities {
  const directory = new BrokerDirectory(em, secretKeys, connectBroker, requestTimeoutMs, 'orders')
  const brokerFor = (accountId: string): Promise<Broker> => directory.forAccount(accountId)
  const deps = {
    em,
    brokerFor,
    forget: (accountId: string) => directory.forget(accountId),
    calendar: new SessionCalendar(brokerFor, now),
    stopper,
    now,
  }
  return {
    flattenRound: ({ flattenId }) => withHeartbeat(() => flattenRound(deps, flattenId)),
    beginFlatByClose: () => withHeartbeat(() => beginFlatByClose(deps)),
  }
}
