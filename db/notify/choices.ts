import type { EntityManager } from '../engine/database.ts'
import { type NotificationChoices, DEFAULT_CHOICES } from '#domain/alert/notification-choices.ts'

const COLUMNS = {
  waitingSignals: 'waiting_signals',
  alerts: 'alerts',
  refused: 'refused',
  filled: 'filled',
  closed: 'closed',
  daySummary: 'day_summary',
  showFigures: 'show_figures',
} as const satisfies Record<keyof NotificationChoices, string>

const NAMES = Object.keys(COLUMNS) as (keyof NotificationChoices)[]

export async function findChoices(em: EntityManager, userId: string): Promise<NotificationChoices> {
  const [row] = await em.execute<NotificationChoices[]>(
    `select ${NAMES.map((name) => `${COLUMNS[name]} as "${name}"`).join(', ')}
     from notification_choices where user_id = ?`,
    [userId],
  )
  return row ?? DEFAULT_CHOICES
}

export async function saveChoices(
  em: EntityManager,
  userId: string,
  choices: NotificationChoices,
): Promise<void> {
  const columns = Object.values(COLUMNS)
  await em.execute(
    `insert into notification_choices (user_id, ${columns.join(', ')}) values (?, ${columns.map(() => '?').join(', ')})
     on conflict (user_id) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')},
       updated_at = now()`,
    [userId, ...NAMES.map((name) => choices[name])],
  )
}
