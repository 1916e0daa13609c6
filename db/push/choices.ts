import type { EntityManager } from '../engine/database.ts'

/** The choices of a user about notifications. */
export interface NotificationChoices {
  /** Signals that wait for a decision. */
  waitingSignals: boolean
  alerts: boolean
  /** Symbols, quantities and prices may stand on a locked screen. */
  showFigures: boolean
}

/** The choices of users who have chosen nothing. */
const DEFAULTS: NotificationChoices = { waitingSignals: true, alerts: true, showFigures: false }

export async function findChoices(em: EntityManager, userId: string): Promise<NotificationChoices> {
  const [row] = await em.execute<NotificationChoices[]>(
    `select waiting_signals as "waitingSignals", alerts, show_figures as "showFigures"
     from notification_choices where user_id = ?`,
    [userId],
  )
  return row ?? DEFAULTS
}

/** Keeps what the user has chosen; it holds for what is sent from now on. */
export async function saveChoices(
  em: EntityManager,
  userId: string,
  { waitingSignals, alerts, showFigures }: NotificationChoices,
): Promise<void> {
  await em.execute(
    `insert into notification_choices (user_id, waiting_signals, alerts, show_figures) values (?, ?, ?, ?)
     on conflict (user_id) do update set waiting_signals = excluded.waiting_signals, alerts = excluded.alerts,
       show_figures = excluded.show_figures, updated_at = now()`,
    [userId, waitingSignals, alerts, showFigures],
    'run',
  )
}
