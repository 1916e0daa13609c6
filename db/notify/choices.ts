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
} as const satisfies Record<Exclude<keyof NotificationChoices, 'quietHours'>, string>

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

export async function findChoices(em: EntityManager, userId: string): Promise<NotificationChoices> {
  const [row] = await em.execute<NotificationChoices[]>(
    `select ${NAMES.map((name) => `${COLUMNS[name]} as "${name}"`).join(', ')},
       case when quiet_from is not null then jsonb_build_object('from', to_char(quiet_from, 'HH24:MI'),
         'until', to_char(quiet_until, 'HH24:MI'), 'zone', quiet_zone) end as "quietHours"
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
  const columns = [...Object.values(COLUMNS), 'quiet_from', 'quiet_until', 'quiet_zone']
  const { from = null, until = null, zone = null } = choices.quietHours ?? {}
  await em.execute(
    // Fails for a zone that only the caller knows: later it would fail in the transactions of trades.
    `insert into notification_choices (user_id, ${columns.join(', ')})
     select ?, ${columns.map(() => '?').join(', ')} where ?::text is null or now() at time zone ? is not null
     on conflict (user_id) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')},
       updated_at = now()`,
    [userId, ...NAMES.map((name) => choices[name]), from, until, zone, zone, zone],
  )
}
