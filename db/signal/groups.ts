import type { GroupRefusal } from '#domain/signal/group.ts'
import type { SignalStatus } from '#domain/signal/signal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { given, ofSymbols, within, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, type ListOrder, type Page, type Slice } from '../engine/page.ts'
import { findRow, findRows } from '../engine/reading.ts'
import { queryRows } from '../engine/row-security.ts'
import { Signal, SignalGroup } from '../entities/index.ts'
import { othersOfName, type NamedRequest } from './requests.ts'

/** Null also while an equal request has stored no group yet. */
export async function findEarlierGroup(
  em: EntityManager,
  request: NamedRequest,
): Promise<SignalGroup | null> {
  const { id, userId, name } = request
  const others = othersOfName(request)
  const rows = await queryRows<{ id: string }>(
    em,
    `select g.id from signal_groups g where g.id = ?::uuid
     ${name === null ? '' : `union all select g.id from signal_groups g join (${others.sql}) same using (id)`} limit 1`,
    [id, ...(name === null ? [] : others.parameters)],
    { plan: 'once' },
  )
  return rows[0] ? findGroup(em, userId, rows[0].id) : null
}

export const findGroup = (em: EntityManager, userId: string, id: string): Promise<SignalGroup | null> =>
  findRow(em, SignalGroup, { id, userId })

export interface GroupFilter extends Filter<{ tokenId: string; symbol: string; from: string; to: string }> {
  accounts: 'several' | 'all'
}

export const GROUP_ORDER: ListOrder = newestFirst('created_at')

export interface ListedGroup {
  group: SignalGroup
  statuses: Partial<Record<SignalStatus, number>>
}

export async function listGroups(
  em: EntityManager,
  userId: string,
  { accounts, symbol, from, to, ...filter }: GroupFilter,
  page: Page,
): Promise<Slice<ListedGroup>> {
  const where = {
    ...given(filter),
    ...ofSymbols(symbol),
    userId,
    ...(accounts === 'several' && { accounts: { $gt: 1 } }),
    ...within('createdAt', from, to),
  }
  const slice = await sliceOf(em, SignalGroup, where, GROUP_ORDER, page)
  return { ...slice, items: await withStatuses(em, userId, slice.items) }
}

export const findGroups = async (
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<ListedGroup[]> =>
  withStatuses(em, userId, await findRows(em, SignalGroup, { id: { $in: [...ids] }, userId }))

async function withStatuses(
  em: EntityManager,
  userId: string,
  groups: readonly SignalGroup[],
): Promise<ListedGroup[]> {
  const ids = groups.map(({ id }) => id)
  const statuses = await statusesOf(em, userId, ids)
  return groups.map((group) => ({ group, statuses: statuses.get(group.id) ?? {} }))
}

async function statusesOf(
  em: EntityManager,
  userId: string,
  groupIds: readonly string[],
): Promise<Map<string, ListedGroup['statuses']>> {
  if (groupIds.length === 0) return new Map()
  const rows = await queryRows<{ group_id: string; status: SignalStatus; signals: number }>(
    em,
    `select group_id, status, count(*)::int as signals from signals
     where group_id in (?) and user_id = ? group by group_id, status`,
    [[...groupIds], userId],
  )
  const found = new Map<string, ListedGroup['statuses']>()
  for (const { group_id: id, status, signals } of rows) found.set(id, { ...found.get(id), [status]: signals })
  return found
}

export const signalsOfGroup = (em: EntityManager, userId: string, groupId: string): Promise<Signal[]> =>
  findRows(em, Signal, { groupId, userId }, { acceptedAt: 'asc', id: 'asc' })

export async function noteRefusals(
  em: EntityManager,
  groupId: string,
  refusals: readonly GroupRefusal[],
): Promise<void> {
  await queryRows(em, 'update signal_groups set refusals = ?::jsonb where id = ? returning id', [
    toStorableJson(refusals),
    groupId,
  ])
}
