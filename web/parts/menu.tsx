import { Menu as Base } from '@base-ui/react/menu'
import { Ellipsis } from 'lucide-react'
import { buttonClass } from './button.tsx'

interface Props {
  of: string
  items: readonly {
    name: string
    choose: () => void
    /** Whether it deletes something for good. */
    isDanger?: boolean
  }[]
}

export const Menu = ({ of, items }: Props) => (
  <Base.Root modal={false}>
    <Base.Trigger className={buttonClass()} aria-label={`Actions for ${of}`}>
      <Ellipsis aria-hidden="true" className="size-4" />
    </Base.Trigger>
    <Base.Portal>
      <Base.Positioner align="end" sideOffset={4} className="z-30">
        <Base.Popup className="min-w-44 rounded-card border border-line bg-surface py-1 shadow-float">
          {items.map(({ name, choose, isDanger = false }) => (
            <Base.Item
              key={name}
              onClick={choose}
              className={`flex min-h-11 cursor-pointer items-center px-4 data-highlighted:bg-sunken desk:min-h-9 ${isDanger ? 'text-danger' : ''}`}
            >
              {name}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
