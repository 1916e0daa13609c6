/** Ways to a person, or to a program of theirs. */
export const CHANNEL_KINDS = ['push', 'telegram', 'ntfy', 'discord', 'slack', 'webhook', 'email'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/**
 * alarm: money may be lost. decision: a signal requires approval. outcome: an order or position has ended. letter: the
 * day's.
 */
export const URGENCIES = ['alarm', 'decision', 'outcome', 'letter'] as const
export type Urgency = (typeof URGENCIES)[number]

/** Events and checks have none. */
export const NOTICE_URGENCY = {
  alert: 'alarm',
  waiting: 'decision',
  settled: 'decision',
  filled: 'outcome',
  closed: 'outcome',
  refused: 'outcome',
  summary: 'letter',
  paused: 'alarm',
} as const satisfies Record<string, Urgency>

/** A notice of a waiting signal goes to the next rung while none of this rung has taken it. */
export const RUNGS: readonly (readonly ChannelKind[])[] = [
  ['push'],
  ['telegram', 'ntfy', 'discord', 'slack', 'webhook'],
  ['email'],
]

/** What the service announces to programs; the first word of an event's type. */
export const EVENT_KINDS = ['signal', 'approval', 'order', 'fill', 'trade', 'exit', 'alert', 'halt'] as const
export type EventKind = (typeof EVENT_KINDS)[number]
