import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { KEYS } from './keys.ts'
import { keysSheet } from './open.ts'

const close = (): void => keysSheet.set(false)

export const KeysSheet = () => (
  <Sheet isOpen close={close} title="Keys">
    {KEYS.map(({ where, keys }) => (
      <section key={where} aria-label={where}>
        <h3 className="mb-1 font-bold">{where}</h3>
        <dl className="grid grid-cols-[8rem_1fr] gap-x-3 gap-y-1">
          {keys.map(([key, what]) => (
            <div key={key} className="contents">
              <dt className="font-medium">{key}</dt>
              <dd className="text-muted">{what}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
    <p className="text-xs text-muted">They can be switched off under Settings.</p>
    <Button size="big" onClick={close}>
      Close
    </Button>
  </Sheet>
)
