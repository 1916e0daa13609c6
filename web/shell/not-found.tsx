import { Link } from '@tanstack/react-router'
import { buttonClass } from '../parts/button.tsx'
import { Frame } from '../session/frame.tsx'

export const NotFound = () => (
  <Frame title="There is no such page">
    <p className="text-muted">The address may be incomplete, or the page was renamed.</p>
    <Link to="/approvals" className={buttonClass('primary')}>
      Go to the approvals
    </Link>
  </Frame>
)
