import { Link } from '@tanstack/react-router'
import { ShownOnce } from '../parts/shown-once.tsx'
import { unreachableBecause } from '../token/webhook.ts'

/** Address with its secret, which the service no longer knows. */
export function ShownAddress({ url }: { url: string }) {
  const why = unreachableBecause(url)
  return (
    <>
      <ShownOnce name="Address" text={url}>
        Copy it into the alert now. Anyone who has it can send to this hook. The service keeps no copy: if it
        is lost, create a new address.
      </ShownOnce>
      {why !== null && (
        <p className="text-sm">
          <b className="font-medium text-warn">Senders on the Internet cannot call it as it is:</b> {why}.{' '}
          <Link to="/set-up/hooks/address" target="_blank" className="underline">
            An address that TradingView can reach<span className="sr-only"> (opens another tab)</span>
          </Link>
        </p>
      )}
    </>
  )
}
