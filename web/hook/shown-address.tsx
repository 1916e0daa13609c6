import { Link } from '@tanstack/react-router'
import { CopyButton } from '../parts/copy-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { unreachableBecause } from '../token/webhook.ts'

/** Address with its secret, which the service no longer knows. */
export function ShownAddress({ url }: { url: string }) {
  const why = unreachableBecause(url)
  return (
    <>
      <Notice kind="warn" title="Shown only once">
        Copy it into the alert now. Anyone who has it can send to this hook. The service keeps no copy: if it
        is lost, create a new address.
      </Notice>
      <div className="flex flex-wrap items-center gap-3 rounded-card bg-sunken p-3">
        <output aria-label="Address" className="min-w-0 grow font-mono text-sm wrap-anywhere select-all">
          {url}
        </output>
        <CopyButton text={url} what="the address" kind="primary" />
      </div>
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
