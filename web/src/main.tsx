import { createRoot } from 'react-dom/client';

import { App } from './app';
import './fonts/fonts.css';
import './design.css';
import './shell/shell.css';

createRoot(document.getElementById('page')!).render(<App />);
