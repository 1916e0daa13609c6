import { NOT_STORED } from '#domain/signal/group.ts'
import type { TimelineEntry } from '#domain/signal/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { toStorableJson } from '../engine/json.ts'
import type { Query } from '../engine/query.ts'
import type { Statement } from '../engine/reading.ts'
import { queryRows, queryTogether } from '../engine/row-security.ts'
import { Signal, type SignalGroup } from '../entities/index.ts'
import { LOCK_ACCOUNT_SYMBOL } from '../position/symbol-state.ts'
import { IS_NO_MESSAGE, namingOf, nameLock, othersOfName, type NamedRequest } from './requests.ts'
import { supersedingQuery, type Superseded } from './superseding.ts'

/** Fields set later, or by the statement. */
const LATER = [
  'statusReason',
  'statusDetail',
  'orderId',
  'filledQuantity',
  'avgFillPrice',
  'exitStatus',
  'exitSubmitAt',
  'exitOrderId',
  'exitReason',
  'tokenId',
  'sentBy',
  'heldPrice',
  'decidedBy',
  'decidedAt',
  'approvalRefused',
  'checkedAt',
  'continues',
  'workflowStartedAt',
  'updatedAt',
  'ask',
] as const satisfies (keyof Signal)[]

type AcceptedField = Exclude<keyof Signal & string, (typeof LATER)[number]>

export type WholeNewSignal = Required<Pick<Signal, AcceptedField>>

export type NewSignal = Pick<Signal, AcceptedField> & {
  /** Body without secrets; absent without a request. */
  source?: string | null
}

export const acceptedFields = (em: EntityManager): AcceptedField[] =>
  em
    .getMetadata(Signal)
    .props.map(({ name }) => name as keyof Signal & string)
    .filter((field): field is AcceptedField => !LATER.some((later) => later === field))

export const columnsOf = (em: EntityManager, fields: readonly (keyof Signal & string)[]): string =>
  fields.map((field) => em.getMetadata(Signal).properties[field].fieldNames[0]).join(', ')

const asColumn = (value: unknown): unknown =>
  typeof value === 'object' && !(value instanceof Date) ? asJson(value) : (value ?? null)

/**
 * False when another signal has the sourceId. Account and symbol are locked before queue position and sequence are
 * drawn: signals become visible in that order. Past `limit` (ms, not in transactions) throws error 57014.
 */
export async function insertSignal(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  limit?: number,
): Promise<boolean> {
  const { sql, parameters, read } = storingQuery(em, signal, received, {
    isJudged: false,
    isDemo: null,
    maxWaiting: null,
  })
  const rows = await queryRows(em, sql, parameters, { plan: 'once', ...(limit !== undefined && { limit }) })
  return read(rows as never[]) === 'stored'
}

export interface Storable {
  /** Kind of the user's account; null: either. */
  isDemo: boolean | null
  /** Limit of waiting signals; null: does not wait. */
  maxWaiting: number | null
}

/** denied: no such account. taken: the sourceId. full: no room. repeats: see {@link findRepeated}. */
export type Storing = 'stored' | 'denied' | 'taken' | 'full' | { repeats: string }

export const REPEATED = 'repeated_signal(?::uuid, ?::uuid, ?::text)'

/** SQL: as `nameActor()`, by token, owner and user. */
const SENDER = `coalesce(
  (select case kind when 'hook' then 'hook ' else 'token ' end || to_json(label)::text from access_tokens where id = ?::uuid and user_id = ?::uuid),
  (select email from users where id = ?::uuid))`

/** SQL: queue position under the lock; null before an approval. */
const TURN = `case when ?::text <> 'pending' then greatest(?::timestamptz, clock_timestamp()) end`

interface StoringTerms extends Storable {
  isJudged: boolean
}

/** `onlyIf`: when false, the answer is `denied`. */
function storingQuery(
  em: EntityManager,
  signal: NewSignal,
  received: TimelineEntry,
  { isJudged, isDemo, maxWaiting }: StoringTerms,
  onlyIf: Statement | null = null,
): Query<Storing> {
  const tokenId = received.data?.['tokenId'] ?? null
  const fields = acceptedFields(em)
  const isCounted = maxWaiting !== null
  const source = signal.source ?? null
  const mayRepeat = isJudged && tokenId !== null && signal.sourceId === null && source !== null
  const conditions = [...(isJudged ? [MAY_TAKE] : []), ...(onlyIf === null ? [] : [onlyIf.sql])]
  return {
    sql: `with room as materialized (
       select ${isCounted ? 'may_wait(?::uuid, ?::integer)' : 'true'} as found,
         ${mayRepeat ? REPEATED : 'null::uuid'} as repeats
       from (${LOCK_ACCOUNT_SYMBOL}) as turn ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
     ), accepted as (
       insert into signals (${columnsOf(em, fields)}, token_id, sent_by, queued_at)
       select ${fields.map(() => '?').join(', ')}, ?, ${SENDER}, ${TURN}
       from room where found and repeats is null
       -- By its sourceId; or by its id, when a replacement is stored again that was stored before and has ended.
       on conflict do nothing
       returning id
     ), told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ?, ?, ?::timestamptz, ?, ?::jsonb from accepted
     ), kept as (
       insert into signal_sources (signal_id, user_id, body)
       select id, ?::uuid, source from accepted, (select ?::text as source) given where source is not null
     )
     select (select id from accepted) as id, found as room, repeats from room`,
    parameters: [
      ...(isCounted ? [signal.accountId, maxWaiting] : []),
      ...(mayRepeat ? [tokenId, signal.accountId, source] : []),
      signal.accountId,
      signal.symbol,
      ...(isJudged ? [signal.accountId, signal.userId, isDemo] : []),
      ...(onlyIf?.parameters ?? []),
      ...fields.map((field) => asColumn(signal[field])),
      tokenId,
      tokenId,
      signal.userId,
      signal.userId,
      signal.status,
      signal.scheduledAt,
      received.key,
      received.kind,
      received.at,
      received.message,
      asJson(received.data ?? null),
      signal.userId,
      source,
    ],
    read: storingOf,
  }
}

const MAY_TAKE =
  'exists (select from accounts where id = ?::uuid and user_id = ?::uuid and is_demo = coalesce(?::boolean, is_demo))'

function storingOf([found]: readonly {
  id: string | null
  room: boolean
  repeats: string | null
}[]): Storing {
  if (!found) return 'denied'
  const { id, room, repeats } = found
  if (repeats !== null) return { repeats }
  if (!room) return 'full'
  return id === null ? 'taken' : 'stored'
}

const asJson = (value: unknown): string | null => (value === null ? null : toStorableJson(value))

export type NewGroup = NamedRequest &
  Pick<SignalGroup, 'tokenId' | 'symbol' | 'summary' | 'accounts' | 'refusals' | 'supersedes' | 'meantAt'>

export interface SignalToStore extends Storable {
  signal: NewSignal
  received: TimelineEntry
}

/** existing: identity or id is taken. refused: nothing may be stored. `signals`: as requested. */
export interface StoredSignals {
  outcome: 'stored' | 'refused' | 'existing'
  signals: Storing[]
  superseded: Superseded[]
}

/** SQL condition: this transaction stored the group. */
const OF_NEW_GROUP = `current_setting('app.new_group', true) = ?`

/**
 * Stores signals in one round trip. Where no account stores, the identity remains free for a corrected message. Locks
 * follow the accounts' ids, against deadlocks. Past `limit` (ms, not in transactions) throws error 57014. `group` null:
 * a single signal.
 */
export async function storeSignals(
  em: EntityManager,
  group: NewGroup | null,
  signals: readonly SignalToStore[],
  limit: number,
): Promise<StoredSignals> {
  const inOrder = signals.toSorted((a, b) => (a.signal.accountId < b.signal.accountId ? -1 : 1))
  const onlyIf = group && { sql: OF_NEW_GROUP, parameters: [group.id] }
  const storing = inOrder.map(({ signal, received, isDemo, maxWaiting }) =>
    storingQuery(
      em,
      group ? { ...signal, groupId: group.id } : signal,
      received,
      { isJudged: true, isDemo, maxWaiting },
      onlyIf,
    ),
  )
  const named = group && [nameLock(group), insertion(group)]
  const after = group && [completion(group, signals), ...endingsOf(group, inOrder)]
  const before = named?.length ?? 0
  const answers = await queryTogether<unknown>(em, [...(named ?? []), ...storing, ...(after ?? [])], {
    plan: 'once',
    limit,
  })
  if (named && answers[before - 1] === false) return { outcome: 'existing', signals: [], superseded: [] }
  const storings = answers.slice(before, before + storing.length) as Storing[]
  const superseded = answers.slice(before + storing.length + 1).flat() as Superseded[]
  const outcome = storings.includes('stored') ? 'stored' : 'refused'
  return { outcome, signals: signals.map((signal) => storings[inOrder.indexOf(signal)]!), superseded }
}

const endingsOf = (
  { tokenId = null, supersedes }: NewGroup,
  inOrder: readonly SignalToStore[],
): Query<Superseded[]>[] =>
  tokenId === null || supersedes.length === 0
    ? []
    : inOrder.map(({ signal: { accountId, symbol } }) => supersedingQuery({ tokenId, accountId, symbol }))

/**
 * Under the name's lock. A hook message may have the name without signals: its repetition takes the name over, and the
 * message finds that one's signals.
 */
function insertion(group: NewGroup): Query<boolean> {
  const others = othersOfName(group)
  const naming = namingOf(group, { sql: 'select from others', parameters: [] })
  return {
    sql: `with others as (${others.sql}), named as (${naming.sql}), over as (
        update requests set id = ?::uuid, at = ?::timestamptz where id = (select id from others limit 1)
          and not exists (select from others join signal_groups g using (id)) returning id
      ), made as (
        insert into signal_groups (id, user_id, token_id, symbol, summary, accounts, refusals, supersedes, meant_at, created_at)
        select ?, ?, ?, ?, ?, ?::integer, ?::jsonb, ?::jsonb, ?::timestamptz, ?::timestamptz
        where not exists (select from others) or exists (select from over)
        -- By its id, when the same message is carried out again.
        on conflict do nothing
        returning id
      )
      select set_config('app.new_group', coalesce((select id::text from made), ''), true) <> '' as stored`,
    parameters: [
      ...others.parameters,
      ...naming.parameters,
      group.id,
      group.at,
      group.id,
      group.userId,
      group.tokenId,
      group.symbol,
      group.summary,
      group.accounts,
      toStorableJson(group.refusals),
      toStorableJson(group.supersedes),
      group.meantAt,
      group.at,
    ],
    read: ([row]: readonly { stored: boolean }[]) => row!.stored,
  }
}

/** Accounts without signal become refusals; a group without signals is removed with its name. */
function completion({ id }: NewGroup, signals: readonly SignalToStore[]): Query<null> {
  const refusals = signals.map(({ signal }) => ({
    accountId: signal.accountId,
    ...NOT_STORED,
    signalId: null,
  }))
  return {
    sql: `with kept as (select account_id from signals where group_id = ? and ${OF_NEW_GROUP}),
      refused as (
        update signal_groups set refusals = refusals || (
          select jsonb_agg(refusal) from jsonb_array_elements(?::jsonb) refusal
          where (refusal ->> 'accountId')::uuid not in (select account_id from kept))
        where id = ? and ${OF_NEW_GROUP} and (select count(*) from kept) between 1 and ?::integer
      ), gone as (
        delete from signal_groups where id = ? and ${OF_NEW_GROUP} and not exists (select from kept) returning id
      ), free as (delete from requests r using gone where r.id = gone.id and ${IS_NO_MESSAGE})
      select from kept`,
    parameters: [id, id, toStorableJson(refusals), id, id, signals.length - 1, id, id],
    read: () => null,
  }
}
