import type { EntityName, FilterQuery } from '@mikro-orm/postgresql'
import { findBroker, type ConnectedBroker } from '../broker/brokers.ts'
import { findUser, type UserRecord } from '../identity/users.ts'
import { findGroups, type ListedGroup } from '../signal/groups.ts'
import { findHalts, type TradingHalt } from '../risk/halts.ts'
import { findAlerts, type KnownAlert } from '../alert/alerts.ts'
import type { EntityManager } from '../engine/database.ts'
import { Account, Order, Position, Signal, Trade } from '../entities/index.ts'
import type { LiveTopic } from './events.ts'
import { findRows } from '../engine/reading.ts'

export interface LiveRecords {
  signal: Signal[]
  group: ListedGroup[]
  order: Order[]
  position: Position[]
  account: Account[]
  alert: KnownAlert[]
  trade: Trade[]
  halt: TradingHalt[]
  broker: ConnectedBroker[]
  user: UserRecord[]
}

/** Unordered, without foreign ids; kind by kind, to leave the pool to trading. */
export async function findLiveRecords(
  em: EntityManager,
  userId: string,
  ids: Readonly<Record<LiveTopic, string[]>>,
): Promise<LiveRecords> {
  const find = async <Row extends object>(entity: EntityName<Row>, topic: LiveTopic): Promise<Row[]> =>
    ids[topic].length === 0
      ? []
      : findRows(em, entity, { id: { $in: ids[topic] }, userId } as FilterQuery<Row>)
  return {
    signal: await find(Signal, 'signal'),
    group: ids.group.length > 0 ? await findGroups(em, userId, ids.group) : [],
    order: await find(Order, 'order'),
    position: await find(Position, 'position'),
    account: await find(Account, 'account'),
    alert: ids.alert.length > 0 ? await findAlerts(em, userId, ids.alert) : [],
    trade: await find(Trade, 'trade'),
    halt: ids.halt.length > 0 ? await findHalts(em, userId, ids.halt) : [],
    broker: await findEach(ids.broker, (id) => findBroker(em, userId, id)),
    user: await findEach(ids.user, (id) => (id === userId ? findUser(em, id) : null)),
  }
}

async function findEach<Row>(
  ids: readonly string[],
  find: (id: string) => Promise<Row | null> | null,
): Promise<Row[]> {
  const found: Row[] = []
  for (const id of ids) {
    const row = await find(id)
    if (row) found.push(row)
  }
  return found
}
