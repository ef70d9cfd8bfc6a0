import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/react-flow.css";
import "./transport/confined-zod.js";
import { chooseLanguage } from "./texts/language.js";
import { arrive } from "./transport/arrive.js";

// In the desktop window, the application is at hand.
const arrival = window.tensordeck === undefined ? arrive() : undefined;
// Constants of modules hold texts: what has some is loaded once the language is known.
void chooseLanguage().then(async () => {
  const { showWindow } = await import("./app/show-window.js");
  showWindow(arrival);
});
