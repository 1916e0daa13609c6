import { REDACTED } from '#contract/values/secrets.ts'
import { SecretUnreadable } from '#db/broker/secret-box.ts'
import { AddressDenied } from './outgoing.ts'
import { plainText } from './plain-text.ts'
import type { Delivery } from './port.ts'

/** Shorter parts of settings occur in ordinary words. */
const MIN_SECRET_LENGTH = 6
const MAX_REASON_LENGTH = 300

/** What the work returns; an address that is not allowed refuses, and any other error fails. No reason holds a secret. */
export async function deliveryOf(settings: object, work: () => Promise<Delivery>): Promise<Delivery> {
  const delivery = await work().catch(failureOf)
  if (!('reason' in delivery)) return delivery
  return { ...delivery, reason: plainText(withoutSecretsOf(settings, delivery.reason), MAX_REASON_LENGTH) }
}

function failureOf(error: unknown): Delivery {
  if (error instanceof AddressDenied) return { is: 'refused', reason: error.message }
  if (error instanceof SecretUnreadable)
    return { is: 'refused', reason: 'Its settings cannot be read: add the channel again' }
  const { code, message } = error as NodeJS.ErrnoException
  return { is: 'failed', reason: code ?? message, retryAfter: null }
}

function withoutSecretsOf(settings: object, reason: string): string {
  const short = reason.replaceAll(/\bhttps?:\/\/\S+/gi, (url) => URL.parse(url)?.host ?? REDACTED)
  return secretsIn(settings).reduce((kept, secret) => kept.replaceAll(secret, REDACTED), short)
}

/** Longest first, since one may hold another. */
const secretsIn = (settings: object): string[] =>
  textsIn(settings)
    .flatMap((text) => [text, URL.parse(text)?.pathname ?? ''])
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .toSorted((one, other) => other.length - one.length)

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
