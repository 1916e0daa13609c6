import type { Signal } from '#db/entities/index.ts'
import { isPositive } from '#domain/decimal.ts'
import { shareCount } from '#domain/figures.ts'
import { isFailed, type SignalStatus } from '#domain/signal-status.ts'
import { belongsToAnother } from '#domain/source-id.ts'
import type { Existing } from '../intake/wish.ts'

const STANDING: Record<SignalStatus, string> = {
  pending: 'it waits for a person to approve it',
  scheduled: 'it waits for its time',
  queued: 'its order has not been sent yet',
  transmitted: "its order was sent, and the broker's answer is not known yet",
  executed: 'the broker took its order, and nothing of it has filled',
  rejected: 'it ended, and one of its orders may still work at the broker',
  cancelled: 'it ended, and one of its orders may still work at the broker',
  error: 'it ended, and one of its orders may still work at the broker',
}

export function alreadyThere({ signal, asked }: Pick<Existing, 'signal' | 'asked'>): string {
  const { sourceId, status, acceptedAt, filledQuantity } = signal
  const sentences = [
    ...(asked === null ? [] : [belongsToAnother(signal, asked)]),
    sourceId === null
      ? `A signal by the same body exists already, with status ${status}`
      : `A signal with sourceId ${JSON.stringify(sourceId)} exists already, with status ${status}; send replaceExisting=true to supersede it`,
    `The signal is of ${acceptedAt.toISOString()}: ${standingOf(signal)}. Nothing was sent for this request`,
  ]
  if (sourceId === null) return sentences.join('. ')
  if (isPositive(filledQuantity) || isFailed(status))
    sentences.push('It cannot be superseded any more: send a new sourceId for a new trade')
  else if (asked !== null) sentences.push('Send a new sourceId if both trades are wanted')
  return sentences.join('. ')
}

const standingOf = ({ status, filledQuantity }: Pick<Signal, 'status' | 'filledQuantity'>): string =>
  isPositive(filledQuantity) ? `${shareCount(filledQuantity)} of its order filled` : STANDING[status]
