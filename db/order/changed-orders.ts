import { unprotectedByTrouble, type AlertNotice } from '#domain/alert/alert.ts'
import { changedEntry, changedNotice, isAlerted, type OrderChange } from '#domain/order/changes.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { raiseAlert, UNLESS_OPEN } from '../alert/alerts.ts'

/** Notes each difference once; an alert only where quantity or price differ. */
export async function notifyOfChanges(
  em: EntityManager,
  accountId: string,
  report: OrderReport,
  changes: readonly OrderChange[],
  advisory: { code: string; message: string },
): Promise<void> {
  const signalId = parseClientOrderId(report.clientOrderId)?.signalId ?? null
  const { key, kind, at, message, data } = changedEntry(report, changes)
  const notice = changedNotice(report, changes)
  const advisories = toStorableJson([advisory])
  await em.execute(
    `with concerned as (
       update signals set updated_at = now(),
         advisories = case when advisories @> ?::jsonb then advisories else advisories || ?::jsonb end
       where id = ? and account_id = ? returning id, user_id, account_id),
     told as (
       insert into signal_events (signal_id, key, kind, at, message, data)
       select id, ?, ?, ?::timestamptz, ?, ?::jsonb from concerned
       on conflict (signal_id, key) do nothing returning signal_id as id)
     insert into alerts (user_id, account_id, signal_id, kind, message, data)
     select c.user_id, c.account_id, c.id, ?, ?, ?::jsonb from concerned c join told using (id) where ?::boolean
     ${UNLESS_OPEN}`,
    [
      advisories,
      advisories,
      signalId,
      accountId,
      key,
      kind,
      at,
      message,
      toStorableJson(data ?? null),
      notice.kind,
      notice.message,
      toStorableJson(notice.data),
      isAlerted(changes),
    ],
  )
}

/** Alerts of a foreign order with our client order id. */
export async function notifyOfConflict(
  em: EntityManager,
  accountId: string,
  clientOrderId: string,
  notice: AlertNotice,
): Promise<void> {
  const signalId = parseClientOrderId(clientOrderId)?.signalId ?? null
  await raiseAlert(em, { accountId, signalId }, notice)
}

export async function reportHidden(em: EntityManager, clientOrderId: string, detail: string): Promise<void> {
  const exit = parseClientOrderId(clientOrderId)
  if (exit?.role !== 'exit') return
  const trouble = { kind: 'unknown', generation: exit.generation, code: 'OUTCOME_UNKNOWN', detail } as const
  const { kind, message } = unprotectedByTrouble(trouble)
  await em.execute(
    `update alerts set message = ? where kind = ? and signal_id = ? and resolved_at is null
       and data ->> 'trouble' = 'unknown' and message <> ?`,
    [message, kind, exit.signalId, message],
  )
}
