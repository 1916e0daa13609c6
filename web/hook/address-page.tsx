import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react'
import { dataOf } from '../connection/ask.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { BackLink, PageHead } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { age } from '../words/times.ts'
import type { Routes } from '#client/types.ts'

type Check = Routes['GET /api/v1/hooks/address']['answers'][200]['data']

/** Milliseconds between two checks while a person looks at the page. */
const EVERY_MS = 10_000

export function AddressPage() {
  const check = useQuery({
    queryKey: ['hooks', 'address'],
    queryFn: () => dataOf('GET /api/v1/hooks/address'),
    refetchInterval: EVERY_MS,
  })
  return (
    <div className="max-w-180">
      <BackLink to="/set-up/hooks" name="Hooks" />
      <PageHead name="An address for TradingView" />
      <div className="grid gap-4">
        <Panel title="Reachable from outside?">
          <Loaded query={check} name="The address" rows={3}>
            {(data) => <Standing check={data} />}
          </Loaded>
        </Panel>
        {check.data && check.data.missing.length > 0 && <Ways />}
      </div>
    </div>
  )
}

const OK = <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-buy" />
const NOT = <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />
const WAITS = <LoaderCircle aria-hidden="true" className="mt-0.5 size-4 shrink-0 animate-spin text-muted" />
const isWaiting = ({ code }: Check['missing'][number]): boolean =>
  code === 'no_request_yet' || code === 'no_request_from_outside'

function Standing({ check: { hooksUrl, missing, lastFromOutside, isPublic } }: { check: Check }) {
  const now = useNow()
  return (
    <div className="grid gap-4 p-4">
      <div className="flex flex-wrap items-center gap-3 rounded-card bg-sunken p-3">
        <output
          aria-label="Addresses of hooks begin with"
          className="min-w-0 grow font-mono text-sm wrap-anywhere"
        >
          {hooksUrl}/hooks/…
        </output>
        <CopyButton text={hooksUrl} what="the beginning of the addresses" />
      </div>
      <ul className="grid gap-3" aria-live="polite">
        {isPublic && <Line icon={OK}>Nothing in this address blocks senders on the Internet</Line>}
        {missing.map((each) => (
          <Line key={each.code} icon={isWaiting(each) ? WAITS : NOT}>
            {each.message}
          </Line>
        ))}
        {lastFromOutside !== null && (
          <Line icon={OK}>
            A request from outside was received {age(now - Date.parse(lastFromOutside.at))}, to{' '}
            {lastFromOutside.hookName}, from {lastFromOutside.ip}
          </Line>
        )}
      </ul>
    </div>
  )
}

const Line = ({ icon, children }: { icon: React.ReactNode; children: React.ReactNode }) => (
  <li className="flex gap-2 wrap-anywhere">
    {icon}
    <span className="min-w-0">{children}</span>
  </li>
)

const Ways = () => (
  <Panel title="Ways to an address">
    <ul>
      {WAYS.map(({ name, who, shows }) => (
        <li key={name} className="grid gap-1 border-line px-4 py-3 not-last:border-b">
          <p className="font-medium">{name}</p>
          <p>{who}</p>
          <p className="text-xs text-muted">{shows}</p>
        </li>
      ))}
    </ul>
    <div className="grid gap-2 border-t border-line px-4 py-3">
      <p>
        Then start the service with this address. Only hooks are public; keep using this app where you do now:
      </p>
      <div className="flex flex-wrap items-center gap-3 rounded-card bg-sunken p-3">
        <code className="min-w-0 grow font-mono text-sm wrap-anywhere">{COMMAND}</code>
        <CopyButton text={COMMAND} what="the command" />
      </div>
      <p className="text-xs text-muted">
        Step-by-step guide: <code className="font-mono">docs/guide/public-address.md</code>
      </p>
    </div>
  </Panel>
)

const COMMAND = 'npm start -- --webhook-url https://hooks.example.com'

const WAYS = [
  {
    name: 'Cloudflare Tunnel',
    who: 'A machine at home, and a domain at Cloudflare. No port is opened: a program next to the service connects out.',
    shows: 'Public: /hooks. Cloudflare can read messages; turn its challenges off for this name.',
  },
  {
    name: 'Tailscale Funnel',
    who: 'A machine at home, and no domain: one command.',
    shows: 'Public: /hooks. Messages cannot be read in transit. While the machine is off, alerts are lost.',
  },
  {
    name: 'Caddy, nginx or a proxy of your own',
    who: 'A server with a fixed address, the better place where real money is traded.',
    shows: 'Public: what you forward. Messages cannot be read in transit.',
  },
] as const
