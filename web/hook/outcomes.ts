import type { HookRequest } from '#client/types.ts'

export type Outcome = NonNullable<HookRequest['outcome']>

export const OUTCOMES = {
  accepted: { text: 'accepted', kind: 'good' },
  nothing: { text: 'nothing to do', kind: 'plain' },
  repeated: { text: 'repetition', kind: 'plain' },
  refused: { text: 'refused', kind: 'danger' },
  dry_run: { text: 'test', kind: 'plain' },
  late: { text: 'too late', kind: 'warn' },
} as const satisfies Record<Outcome, { text: string; kind: 'plain' | 'warn' | 'danger' | 'good' }>

export const ALL_OUTCOMES = Object.keys(OUTCOMES) as Outcome[]

export const UNDER_WAY = { text: 'under way', kind: 'plain' } as const

/** Reason why a request made no order; null where it did, or may yet. */
export function whyNoOrder({
  outcome,
  message,
  signals,
}: Pick<HookRequest, 'outcome' | 'message' | 'signals'>): string | null {
  switch (outcome) {
    case 'nothing':
      return message ?? 'It is done already.'
    case 'repeated':
      return 'This alert was received before. Its orders were sent then; none is sent twice.'
    case 'refused':
      return message ?? 'It was not understood.'
    case 'dry_run':
      return 'It was a test: no order was sent.'
    case 'late':
      return message ?? 'It was too old when it could be processed.'
    case 'accepted':
      return signals.length > 0 &&
        signals.every(({ orderId, status }) => orderId === null && status === 'pending')
        ? 'It waits for your approval.'
        : null
    case null:
      return null
  }
}

export const VIA = {
  sender: null,
  test: 'your test request',
  again: 'sent again by you',
} as const satisfies Record<HookRequest['via'], string | null>
