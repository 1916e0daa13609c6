import { Link } from '@tanstack/react-router'
import { useStore } from '../connection/store.ts'
import { buttonClass } from '../parts/button.tsx'
import { PageTitle } from '../parts/page-head.tsx'
import { choose, settings, type FirstPage, type Theme } from '../parts/settings.ts'
import { useMe } from '../records/person.ts'
import { Checkbox } from '../parts/checkbox.tsx'
import { ZONES, type Zone } from '../words/times.ts'

const THEMES: Record<Theme, string> = { system: 'As the device', light: 'Light', dark: 'Dark' }
const ZONE_NAMES: Record<Zone, string> = { ...ZONES, here: 'As the device' }
const FIRST_PAGES: Record<FirstPage, string> = {
  auto: 'First steps, then Approvals',
  '/approvals': 'Approvals',
  '/': 'Today',
  '/positions': 'Positions',
}

interface ChoicesProps<Value extends string> {
  legend: string
  name: string
  options: Record<Value, string>
  value: Value
  choose: (value: Value) => void
}

const Choices = <Value extends string>({
  legend,
  name,
  options,
  value,
  choose: take,
}: ChoicesProps<Value>) => (
  <fieldset className="flex flex-wrap gap-2">
    <legend className="sr-only">{legend}</legend>
    {(Object.keys(options) as Value[]).map((each) => (
      <label
        key={each}
        className="inline-flex min-h-11 items-center gap-2 rounded-control border border-edge px-3 desk:min-h-9"
      >
        <input type="radio" name={name} checked={each === value} onChange={() => take(each)} />
        {options[each]}
      </label>
    ))}
  </fieldset>
)

export function SettingsPage() {
  const { theme, shortcuts, zone, firstPage } = useStore(settings)
  const { data: me } = useMe()
  return (
    <div className="grid max-w-150 gap-4">
      <PageTitle name="Settings" />
      <h1 className="text-xl font-bold">Settings</h1>
      <section className="grid gap-3 rounded-card border border-line bg-surface p-5">
        <h2 className="font-bold">Appearance</h2>
        <Choices
          legend="Theme"
          name="theme"
          options={THEMES}
          value={theme}
          choose={(next) => choose({ theme: next })}
        />
        <Checkbox
          checked={shortcuts}
          onChange={() => choose({ shortcuts: !shortcuts })}
          className="min-h-11 items-center gap-2 max-desk:hidden"
        >
          Keys decide, move and open pages; press ? for the list
        </Checkbox>
      </section>
      <section className="grid gap-3 rounded-card border border-line bg-surface p-5">
        <h2 className="font-bold">Times in lists</h2>
        <Choices
          legend="Time zone"
          name="zone"
          options={ZONE_NAMES}
          value={zone}
          choose={(next) => choose({ zone: next })}
        />
        <p className="text-muted">Cards and details show the time of the exchange and yours.</p>
      </section>
      <section className="grid gap-3 rounded-card border border-line bg-surface p-5">
        <h2 className="font-bold">First page</h2>
        <Choices
          legend="First page"
          name="first-page"
          options={FIRST_PAGES}
          value={firstPage}
          choose={(next) => choose({ firstPage: next })}
        />
      </section>
      <section className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-line bg-surface p-5">
        <div className="min-w-32 flex-1">
          <h2 className="font-bold">Notifications</h2>
          <p className="text-muted">Notifications while the app is closed, and sounds while it is open</p>
        </div>
        <Link to="/settings/notifications" className={buttonClass()}>
          Notifications
        </Link>
      </section>
      <section className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-line bg-surface p-5">
        <p className="wrap-anywhere">Signed in as {me?.email}</p>
        <Link to="/settings/security" className={buttonClass()}>
          Security
        </Link>
      </section>
    </div>
  )
}
