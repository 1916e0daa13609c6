import { Link } from '@tanstack/react-router'
import { useStore } from '../connection/store.ts'
import { buttonClass } from '../parts/button.tsx'
import { PageTitle } from '../parts/page-head.tsx'
import { choose, settings, type Theme } from '../parts/settings.ts'
import { useMe } from '../records/person.ts'
import { Checkbox } from '../parts/checkbox.tsx'

const THEMES: Record<Theme, string> = { system: 'As the device', light: 'Light', dark: 'Dark' }

/** What a person chooses for this device, and the way out. */
export function SettingsPage() {
  const { theme, shortcuts } = useStore(settings)
  const { data: me } = useMe()
  return (
    <div className="grid max-w-150 gap-4">
      <PageTitle name="Settings" />
      <h1 className="text-xl font-bold">Settings</h1>
      <section className="grid gap-3 rounded-card border border-line bg-surface p-5">
        <h2 className="font-bold">Appearance</h2>
        <fieldset className="flex flex-wrap gap-2">
          <legend className="sr-only">Theme</legend>
          {(Object.keys(THEMES) as Theme[]).map((each) => (
            <label
              key={each}
              className="inline-flex min-h-11 items-center gap-2 rounded-control border border-edge px-3 desk:min-h-9"
            >
              <input
                type="radio"
                name="theme"
                checked={each === theme}
                onChange={() => choose({ theme: each })}
              />
              {THEMES[each]}
            </label>
          ))}
        </fieldset>
        <Checkbox
          checked={shortcuts}
          onChange={() => choose({ shortcuts: !shortcuts })}
          className="min-h-11 items-center gap-2 max-desk:hidden"
        >
          Keys decide: J K move, A approve, E edit, R reject, U undo; Ctrl K or ⌘ K finds pages and symbols
        </Checkbox>
      </section>
      <section className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-line bg-surface p-5">
        <div className="min-w-32 flex-1">
          <h2 className="font-bold">Notifications</h2>
          <p className="text-muted">
            What your devices tell you while the app is closed, and sounds while it is open
          </p>
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
