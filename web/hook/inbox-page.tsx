import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import type { Hook, HookRequest } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Field, SelectField } from '../parts/field.tsx'
import { ListTime } from '../parts/list-time.tsx'
import { Paged } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useRequests } from './data.ts'
import { HookFrame } from './frame.tsx'
import { ALL_OUTCOMES, OUTCOMES, VIA } from './outcomes.ts'
import { OwnedPanel } from './owned-panel.tsx'
import { OutcomeChip } from './outcome-chip.tsx'
import type { InboxSearch } from './search.ts'
import { SignalLinks } from './signal-links.tsx'

const route = getRouteApi('/gate/shell/set-up/hooks/$hook')

export function InboxRoute() {
  const { hook: id } = route.useParams()
  return (
    <HookFrame id={id}>
      {(hook) => (
        <div className="grid gap-4">
          <OwnedPanel hook={hook} />
          <Inbox key={id} hook={hook} />
        </div>
      )}
    </HookFrame>
  )
}

function Inbox({ hook }: { hook: Hook }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const show = (next: InboxSearch): void => void navigate({ search: next, replace: true })
  const requests = useRequests(hook.id, search)
  const now = useNow()
  const isFiltered = search.outcome !== undefined || search.q !== undefined
  return (
    <Panel title="Inbox" aside={<TestRequest hook={hook} />}>
      {(isFiltered || (requests.data?.total ?? 0) > 0) && <InboxFilter search={search} show={show} />}
      <Paged
        query={requests}
        name="The requests"
        rowsOf={(page) => page.requests}
        page={search.page ?? 1}
        turnTo={(page) => show({ ...search, ...(page > 1 ? { page } : { page: undefined }) } as InboxSearch)}
      >
        {(rows) => (
          <Table
            label="Requests"
            columns={columns(hook.id, now)}
            rows={rows}
            keyOf={({ id }) => id}
            empty={
              isFiltered ? (
                <Nothing title="No matching requests" note="Matching requests appear here automatically." />
              ) : (
                <Nothing
                  title="No request yet"
                  note="The first one appears here automatically. A test request shows how the hook reads a message; no order is sent."
                >
                  <Link to="/set-up/hooks/$hook/message" params={{ hook: hook.id }} className={buttonClass()}>
                    The message of the alert
                  </Link>
                </Nothing>
              )
            }
          />
        )}
      </Paged>
    </Panel>
  )
}

const Nothing = ({ title, note, children }: { title: string; note: string; children?: React.ReactNode }) => (
  <div className="grid justify-items-center gap-3 px-6 py-10 text-center">
    <p className="font-bold">{title}</p>
    <p className="max-w-120 text-muted">{note}</p>
    {children}
  </div>
)

function TestRequest({ hook }: { hook: Hook }) {
  const isLive = useIsLive()
  const navigate = route.useNavigate()
  const test = useMutation({
    mutationFn: () => dataOf('POST /api/v1/hooks/{hookId}/test', { path: { hookId: hook.id } }),
    onSuccess: async ({ request }) => {
      await readChanged('hooks')
      await navigate({
        to: '/set-up/hooks/$hook/requests/$request',
        params: { hook: hook.id, request: request.id },
      })
    },
  })
  return (
    <>
      {test.isError && <span className="text-xs text-danger">{asProblem(test.error).message}</span>}
      <Button disabled={!isLive || test.isPending} onClick={() => test.mutate()}>
        <FlaskConical aria-hidden="true" className="size-4" />{' '}
        {test.isPending ? 'One moment…' : 'Test request'}
      </Button>
    </>
  )
}

const NAMES = {
  '': 'Any outcome',
  ...Object.fromEntries(ALL_OUTCOMES.map((outcome) => [outcome, OUTCOMES[outcome].text])),
}

function InboxFilter({ search, show }: { search: InboxSearch; show: (search: InboxSearch) => void }) {
  const { outcome, q } = search
  return (
    <search className="grid grid-cols-2 items-end gap-3 border-b border-line p-3 desk:flex">
      <SelectField
        label="Outcome"
        options={NAMES}
        value={outcome ?? ''}
        onChange={({ target }) =>
          show({
            ...(q !== undefined && { q }),
            ...(target.value !== '' && { outcome: target.value as NonNullable<InboxSearch['outcome']> }),
          })
        }
        className="desk:w-44"
      />
      <form
        key={q ?? ''}
        onSubmit={(event) => {
          event.preventDefault()
          const text = new FormData(event.currentTarget).get('q')
          const typed = typeof text === 'string' ? text.trim() : ''
          show({ ...(outcome !== undefined && { outcome }), ...(typed !== '' && { q: typed }) })
        }}
      >
        <Field
          label="Contains"
          name="q"
          defaultValue={q ?? ''}
          placeholder="AAPL"
          autoComplete="off"
          maxLength={100}
          enterKeyHint="search"
          className="desk:w-52"
        />
      </form>
      {(outcome !== undefined || q !== undefined) && (
        <Button onClick={() => show({})} className="desk:h-9">
          Show all
        </Button>
      )}
    </search>
  )
}

const columns = (hookId: string, now: number): Column<HookRequest>[] => [
  {
    name: 'Received',
    place: 'second',
    line: 'whole',
    of: ({ receivedAt, via }) => (
      <span className="grid">
        <ListTime at={receivedAt} now={now} />
        {VIA[via] !== null && <span className="text-xs text-muted">{VIA[via]}</span>}
      </span>
    ),
  },
  { name: 'Outcome', place: 'lead', of: ({ outcome }) => <OutcomeChip outcome={outcome} /> },
  {
    name: 'Request',
    place: 'first',
    of: ({ id, message, excerpt }) => (
      <Link
        to="/set-up/hooks/$hook/requests/$request"
        params={{ hook: hookId, request: id }}
        className="grid min-h-11 content-center whitespace-normal desk:min-h-6"
      >
        <span className="underline decoration-line underline-offset-4 wrap-anywhere hover:decoration-current">
          {message ?? 'Not processed yet'}
        </span>
        <span className="line-clamp-1 font-mono text-xs font-normal text-muted wrap-anywhere">{excerpt}</span>
      </Link>
    ),
  },
  {
    name: 'Signals',
    isDefault: ({ signals }) => signals.length === 0,
    of: ({ signals }) => <SignalLinks signals={signals} />,
  },
]
