import type { Decimal } from '#domain/money/decimal.ts'
import type { Action, SignalStatus } from '#domain/signal/signal.ts'
import { asArray } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { newestFirst, sliceOfRows, type Page, type Slice } from '../engine/page.ts'
import { queryRows } from '../engine/row-security.ts'

const EXCERPT = 200

interface RequestSignal {
  id: string
  accountId: string
  symbol: string
  action: Action
  status: SignalStatus
  statusReason: string | null
  statusDetail: string | null
  orderId: string | null
  filledQuantity: Decimal
}

export interface RequestRecord {
  id: string
  receivedAt: string
  via: 'sender' | 'test' | 'again'
  again: string | null
  ip: string
  excerpt: string
  bytes: number
  outcome: 'accepted' | 'nothing' | 'repeated' | 'refused' | 'dry_run' | 'late' | null
  code: string | null
  message: string | null
  status: number | null
  finishedAt: string | null
  groupId: string | null
  signals: RequestSignal[]
}

export interface WholeRequest extends RequestRecord {
  body: string
  faults: { code: string; message: string; path: (string | number)[]; field: string }[]
  advisories: { code: string; message: string }[]
}

type Row<R extends RequestRecord> = Omit<R, 'signals'>

const REQUEST_COLUMNS = `r.id, r.received_at as "receivedAt", r.via, r.again, r.ip, left(r.body, ${EXCERPT}) as excerpt, r.bytes, r.outcome,
  r.code, r.message, r.status, r.finished_at as "finishedAt", r.group_id as "groupId"`

export const REQUEST_ORDER = newestFirst('receivedAt')

export interface RequestFilter {
  outcome?: readonly NonNullable<RequestRecord['outcome']>[] | undefined
  /** ISO instants: from `from`, before `to`. */
  from?: string | undefined
  to?: string | undefined
  /** Part of the body, case-insensitive. */
  q?: string | undefined
}

export async function listRequests(
  em: EntityManager,
  userId: string,
  hookId: string,
  { outcome, from, to, q }: RequestFilter,
  page: Page,
): Promise<Slice<RequestRecord>> {
  const conditions: [sql: string, value: string | undefined][] = [
    ['r.outcome = any(?::text[])', outcome && asArray(outcome)],
    ['r.received_at >= ?::timestamptz', from],
    ['r.received_at < ?::timestamptz', to],
    ['strpos(lower(r.body), lower(?::text)) > 0', q],
  ]
  const given = conditions.filter(([, value]) => value !== undefined)
  const slice = await sliceOfRows<Row<RequestRecord>>(
    em,
    {
      sql: `select ${REQUEST_COLUMNS} from hook_requests r where ${['r.hook_id = ?', 'r.user_id = ?', ...given.map(([sql]) => sql)].join(' and ')}`,
      parameters: [hookId, userId, ...given.map(([, value]) => value)],
    },
    REQUEST_ORDER,
    page,
  )
  return { ...slice, items: await withSignals(em, userId, slice.items) }
}

export async function findRequest(
  em: EntityManager,
  userId: string,
  hookId: string,
  id: string,
): Promise<WholeRequest | null> {
  const rows = await queryRows<Row<WholeRequest>>(
    em,
    `select ${REQUEST_COLUMNS}, r.body, r.faults, r.advisories from hook_requests r where r.id = ? and r.hook_id = ? and r.user_id = ?`,
    [id, hookId, userId],
  )
  const [request] = await withSignals(em, userId, rows)
  return request ?? null
}

async function withSignals<R extends Row<RequestRecord>>(
  em: EntityManager,
  userId: string,
  requests: readonly R[],
): Promise<(R & { signals: RequestSignal[] })[]> {
  const groupIds = new Set(requests.flatMap(({ groupId }) => groupId ?? []))
  const signals =
    groupIds.size === 0
      ? []
      : await queryRows<RequestSignal & { groupId: string }>(
          em,
          `select s.id, s.account_id as "accountId", s.symbol, s.action, s.status, s.status_reason as "statusReason",
             s.status_detail as "statusDetail", s.order_id as "orderId", s.group_id as "groupId",
             coalesce(o.filled_quantity, 0) as "filledQuantity"
           from signals s left join orders o on o.id = s.order_id
           where s.user_id = ? and s.group_id = any(?::uuid[]) order by s.accepted_at, s.id`,
          [userId, asArray([...groupIds])],
        )
  const byGroup = Map.groupBy(signals, ({ groupId }) => groupId)
  return requests.map((request) => ({
    ...request,
    signals: (byGroup.get(request.groupId ?? '') ?? []).map(({ groupId: _, ...signal }) => signal),
  }))
}
