import type { Urgency } from '#domain/alert/channels.ts'
import type { Mailer } from '../mail/mail.ts'
import type { OutgoingRequest } from './outgoing.ts'
import type { PushDependencies } from './web-push/delivery.ts'

export interface Notice {
  /** The same at every attempt: a receiver recognises a repetition by it. */
  id: string
  /** `waiting`, `alert`, `filled` and so on; `test`. */
  kind: string
  urgency: Urgency
  /** Plain text, in which strangers chose symbols and names: a channel sends it as text only. */
  title: string
  body: string
  /** The same in full, for channels with room; null: no more. */
  details: string | null
  /** A later notice with it replaces an earlier one, where the channel can. */
  tag: string
  /** Path within the web app. */
  url: string
  /** UTC instant after which it is worthless; null: none. */
  expiresAt: string | null
  /** The signal that buttons may decide; null where only the web app decides. */
  decides: string | null
}

export type Delivery =
  | { is: 'taken' }
  /** The receiver does not exist any more. */
  | { is: 'gone'; reason: string }
  /** The receiver has another address, under which the notice is sent again. */
  | { is: 'moved'; settings: object }
  /** Retryable, after `retryAfter` milliseconds if given. */
  | { is: 'failed'; reason: string; retryAfter: number | null }
  | { is: 'refused'; reason: string }

export interface ChannelDeps {
  /** To addresses of a person's choosing. Throws AddressDenied. */
  request: OutgoingRequest
  /** To Telegram and push services, whose origins the operator may have set. */
  requestService: OutgoingRequest
  /** Origin of the web app, for links. */
  publicUrl: string
  /** Origin of Telegram's Bot API. */
  telegramUrl: string
  mailer: Mailer
  push: PushDependencies | null
  now: () => number
}

/**
 * Sends one notice. Throws nothing but programming errors: a refused connection is a {@link Delivery}.
 * @typeParam Settings what its owner entered, with its secrets
 */
export type Deliver<Settings> = (settings: Settings, notice: Notice, deps: ChannelDeps) => Promise<Delivery>
