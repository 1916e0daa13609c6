/** What the service sends to a device; everything in it is optional to a worker that is older or newer than the service. */
export interface PushPayload {
  kind: 'waiting' | 'settled' | 'filled' | 'closed' | 'refused' | 'summary' | 'alert' | 'test'
  title: string
  body: string
  /** Of two with the same the later takes the place of the earlier, as "no longer waits" of the signal that waited. */
  tag: string
  /** An address of the app. */
  url: string
  /** When it is over; null where it has no end. */
  expiresAt: string | null
}

/** A notification as the device shows it. */
export interface Notice {
  title: string
  body: string
  tag: string
  url: string
  /** It waits for a person, until one presses or it is over. */
  staysOpen: boolean
  /** Without sound and vibration. */
  isSilent: boolean
  /** It only takes the place of one that is over. */
  isOver: boolean
}

const NAME = 'Durable Trader'
const HOME = '/approvals'

/** Only an address of the app: a notification leads nowhere else. */
export const ownAddress = (url: unknown): string =>
  typeof url === 'string' && /^\/(?:[a-z]|$)/.test(url) ? url : HOME

/**
 * What is shown for a message. Browsers demand that each message shows something, so one that cannot be read says that
 * there is news, and one that came too late says so.
 *
 * @param text the message as it came; null when it was empty
 * @param now in milliseconds since 1970
 */
export function noticeOf(text: string | null, now: number): Notice {
  const { kind, title, body, tag, url, expiresAt } = read(text)
  const isLate = typeof expiresAt === 'string' && Date.parse(expiresAt) <= now
  const isOver = kind === 'settled' || (kind === 'waiting' && isLate)
  return {
    title: isOver && kind !== 'settled' ? 'No longer needs approval' : textOr(title, NAME),
    body:
      isOver && kind !== 'settled'
        ? 'The signal was not decided in time.'
        : textOr(body, 'Something has changed.'),
    tag: textOr(tag, 'news'),
    url: ownAddress(url),
    staysOpen: kind === 'waiting' && !isOver,
    isSilent: isOver,
    isOver,
  }
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise

function read(text: string | null): Partial<Record<keyof PushPayload, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
