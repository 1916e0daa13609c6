import { Link } from '@tanstack/react-router'
import { CopyButton } from '../parts/copy-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { unreachableBecause } from '../tokens/webhook.ts'

/** The whole address of a hook with its secret, which the service does not know any more. */
export function ShownAddress({ url }: { url: string }) {
  const why = unreachableBecause(url)
  return (
    <>
      <Notice kind="warn" title="It is shown this once">
        Copy it now, to where the alert is made. Whoever has it can send to this hook. The service stores no
        copy: for a lost one, make a new address.
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
