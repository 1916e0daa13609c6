import type { EntityManager } from '../engine/database.ts'

/** The choices of a user about notifications. */
export interface NotificationChoices {
  /** Signals that wait for a decision. */
  waitingSignals: boolean
  alerts: boolean
  /** Signals that were refused, by a rule or the broker. */
  refused: boolean
  /** Entries and manual orders that filled. */
  filled: boolean
  /** What a signal opened is closed, with the result. */
  closed: boolean
  /** How the day went, after its close. */
  daySummary: boolean
  /** Symbols, quantities and prices may stand on a locked screen. */
  showFigures: boolean
}

/** The choices of users who have chosen nothing. */
export const DEFAULT_CHOICES: NotificationChoices = {
  waitingSignals: true,
  alerts: true,
  refused: true,
  filled: false,
  closed: false,
  daySummary: false,
  showFigures: false,
}

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

/** Keeps what the user has chosen; it holds for what is sent from now on. */
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
    'run',
  )
}
