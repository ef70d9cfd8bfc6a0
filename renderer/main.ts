import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/react-flow.css";
import { chooseLanguage } from "./texts/language.js";

// Constants of modules hold texts: what has some is loaded once the language is known.
void chooseLanguage().then(async () => {
  const { showWindow } = await import("./app/show-window.js");
  showWindow();
});
