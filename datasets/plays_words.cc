#include "datasets/plays_words.h"

#include <unordered_set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lemma::datasets {
namespace {

std::vector<std::string> Words(const char* text) {
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

bool IsVowel(char c) { return absl::StrContains("aeiou", absl::string_view(&c, 1)); }

std::vector<std::string> Coined(const std::vector<std::string>& vowels,
                                const std::vector<std::string>& endings) {
  std::unordered_set<std::string> taken;
  const auto take = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) taken.insert({word, WithS(word)});
  };
  for (const Place& place : Places()) take(place.nouns);
  take(CommonNouns());
  take(Adjectives());
  take(TransitiveVerbs());
  take(IntransitiveVerbs());
  take(Words("have"));

  const std::vector<std::string> beginnings = Words(
      "b bl br c cl cr d dr f fl fr g gl gr h j k kn l m n p pl pr qu r s sl sn squ "
      "st str t th tr tw v w y z");
  std::vector<std::string> words;
  for (const std::string& beginning : beginnings) {
    for (const std::string& vowel : vowels) {
      if (beginning.back() == vowel[0]) continue;
      for (const std::string& ending : endings) {
        std::string word = absl::StrCat(beginning, vowel, ending);
        if (!taken.contains(word)) words.push_back(std::move(word));
      }
    }
  }
  return words;
}

}  // namespace

const std::vector<Place>& Places() {
  static const auto& places = *new std::vector<Place>{
      {"harbour",
       {{"Coral", true, true},
        {"Marlo", false, false},
        {"Oswin", false, true},
        {"Xanthe", true, false}},
       Words("anchor boat buoy cloud cove crab deck eel gull hull keel knot lamp line mast mermaid "
             "net oar pearl pier pilot plank port prow raft reef rope rudder sail sailor salt sand "
             "seal shell shoal shore star storm surf swell tar tern tide wave whale wreck")},
      {"court",
       {{"Aldric", false, false},
        {"Esmond", false, true},
        {"Ivory", true, false},
        {"Rowena", true, true}},
       Words("banner bishop castle chain cloak clown coin council courtier crest crown debt decree "
             "duke feud flag gem gown guardian heir herald jester king law letter lord mask medal "
             "minister oath page palace plot prince queen rank realm ring robe scroll throne title "
             "tower traitor treasure vow wand")},
      {"garden",
       {{"Jessamy", true, true},
        {"Linnet", true, false},
        {"Sorrel", false, true},
        {"Tansy", true, false},
        {"Yarrow", false, false}},
       Words(
           "acorn apple arbour bee beetle blossom bower bramble bud clover daffodil fern fountain "
           "frog garland gate gnat grape hedge herb lark lawn moth nest path pear petal plum pond "
           "quince rake robin root rose seed snail spade stem thorn toad tulip vine weed willow "
           "worm wren")},
      {"tavern",
       {{"Dapper", false, false},
        {"Hobble", false, true},
        {"Pepper", true, true},
        {"Winifred", true, false}},
       Words("ale barrel bill bottle bun candle card cheese cook cork crumb crust cup dumpling egg "
             "feast fiddle flute fork guest ham hearth hen host jug keg kettle maid mug napkin "
             "onion oven pan pickle pie plate pot purse rafter riddle sausage spoon stew stool "
             "supper tale tankard tune turnip wine")},
      {"camp",
       {{"Fenwick", false, true},
        {"Griselda", true, false},
        {"Kestrel", false, false},
        {"Quillon", false, true},
        {"Zephyr", true, false}},
       Words("arrow axe battle blade boot bow breach bridge bugle cannon captain corporal dagger "
             "drum fife foe fort gauntlet general gun helm horse knight lance musket pike rampart "
             "rebel recruit saddle scar scout sentinel sergeant shield siege soldier spear spur "
             "squire steed sword tent trench trumpet truce victor wall wound")},
      {"forest",
       {{"Bramwell", false, true},
        {"Nettle", true, false},
        {"Umber", false, false},
        {"Vesper", true, true}},
       Words("badger bark bat bear boar bough brook cave charm cobweb crow dell dream fawn fox "
             "ghost glade goblin hare hermit hill hollow hunter imp lantern log mist moon nook oak "
             "omen otter owl pine raven rock rune shade shadow snare spell spider squirrel stag "
             "stone stream stump thicket trail twig weasel witch wood")},
  };
  return places;
}

const std::vector<std::string>& CommonNouns() {
  static const auto& words = *new std::vector<std::string>(Words(
      "brother cousin cure day ear eye face father fear fool friend grief hand heart hope "
      "hour jest joy kiss lie mother name neighbour night place promise reason secret sigh "
      "sin sister smile song sorrow soul tear thing thought tongue truth wish wit word year"));
  return words;
}

const std::vector<std::string>& Adjectives() {
  static const auto& words = *new std::vector<std::string>(
      Words("bald bashful big bitter black blind blue blunt bold brave brief bright brisk broad "
            "brown calm cheap clean clear clumsy cold coy crisp crooked cruel damp dark dear deep "
            "dim dire dull dusty eager early empty faint fair false fat fickle fierce fine firm "
            "fond frail free fresh gaunt gentle giddy glad golden grand grave gray great green "
            "grim hairy happy hard harsh hasty hoarse honest hot huge humble hungry idle jolly "
            "just keen kind lame large lazy lean light little lone long loud low loyal mad meek "
            "merry mild moist mute naked narrow neat new noble numb odd old pale plain plump poor "
            "pretty prim proud pure quaint quick quiet rare rash raw red rich ripe rough round "
            "royal rude sad sane scarlet sharp short shrewd shy sick silent silver slim slow sly "
            "small smooth sober soft sour spare stale stark steep stern stiff stout strange strong "
            "sullen sweet swift tall tame tart thick thin tight tiny tired true ugly vain vast "
            "velvet vexed vile warm weak weary weird wet white wicked wide wild wise worn worthy "
            "yellow young zealous"));
  return words;
}

const std::vector<std::string>& TransitiveVerbs() {
  static const auto& words = *new std::vector<std::string>(
      Words("admire adore amend answer ask avoid beat beg befriend bind bite blame bless borrow "
            "break bury buy call carry catch chase cheat chide claim comb command confess cover "
            "crave crown curse defend deny despise devour doubt drag draw dread drop envy fetch "
            "find flatter follow forget forgive frighten grasp greet guess guide hate haunt hear "
            "heed help hide hire hold hug hunt hurt invite joke judge keep kill know lead leave "
            "like lose love lure make marry mend miss mistake mock mourn move need obey offer owe "
            "own paint pardon pay pinch pity polish praise prize prove pull push question quit "
            "raise reject rescue respect rob rule scare scold scorn scratch see seek sell send "
            "serve shake shame share shun slay smell spoil squeeze steal sting strike stroke suit "
            "summon take taste teach tease tell tempt thank touch trade trick trust understand "
            "use visit want warn wash watch wear weigh win worship woo yield"));
  return words;
}

const std::vector<std::string>& IntransitiveVerbs() {
  static const auto& words = *new std::vector<std::string>(Words(
      "agree ail argue arrive bloom blush boast bow burn chatter climb crawl creep croak cry "
      "dance depart doze dwell err fade fall fidget flee float flourish fly frown "
      "gallop gasp gaze giggle glow go grow grumble hang hop howl hum hurry juggle jump kneel "
      "languish laugh leap limp linger listen march melt moan nod pant pause perish play "
      "pout prance pray quake quarrel remain repent rest return rise roam roar rot run rust "
      "shine shiver shrink sing sink sit skip sleep slip smoke sneeze snore sob speak squint "
      "stand stare starve stay stray stumble suffer swear sweat swim swoon talk thrive toil "
      "travel tremble trip vanish wait wake walk wander waste weep whine whisper wink wither "
      "wonder work wrestle yawn yearn"));
  return words;
}

const std::vector<std::string>& Participles() {
  static const auto& words = *new std::vector<std::string>(
      Words("broken burned buried chased drawn eaten fed forgotten found guarded heard hidden kept "
            "kissed lost loved met missed mocked sold seen slain stolen touched washed"));
  return words;
}

const std::vector<std::string>& Prepositions() {
  static const auto& words = *new std::vector<std::string>(
      Words("above across against among before behind below beneath beside beyond by for from in "
            "like near on over through to toward under upon with without"));
  return words;
}

const std::vector<std::string>& Adverbs() {
  static const auto& words = *new std::vector<std::string>(
      Words("again alone already always apart badly enough here indeed never now often once "
            "softly still soon there together tonight twice well yonder"));
  return words;
}

const std::vector<std::string>& CompoundAdjectives() {
  static const auto& compounds = *new std::vector<std::string>([] {
    std::vector<std::string> words;
    for (const std::string& noun : Words(
             "ash bone dew dove dusk fire frost ghost honey iron lily moon moth night nut oak owl "
             "plum rose silk snow stone thorn wine wolf")) {
      for (const std::string& adjective :
           Words("black bold bright brown cold crowned dark deep faced fed gray green hearted pale "
                 "proof quick red ripe sharp soft still sweet thin tongued white")) {
        words.push_back(absl::StrCat(noun, "-", adjective));
      }
    }
    return words;
  }());
  return compounds;
}

const std::vector<std::string>& CoinedNouns() {
  static const auto& words = *new std::vector<std::string>(
      Coined(Words("a e i o u ai ea ee oo ou"),
             Words("bbin ft lb lf lk lm lp lt nd nx rb rf rg rl rm rp rrow sk sp th v")));
  return words;
}

const std::vector<std::string>& CoinedAdjectives() {
  static const auto& words = *new std::vector<std::string>(
      Coined(Words("a e i o u ai ea ee oo ou"),
             Words("ddy dy ffy lfy lmy lsy lty ly lvish rgy rky rvy ry sky thy vy")));
  return words;
}

const std::vector<std::string>& CoinedVerbs() {
  static const auto& words = *new std::vector<std::string>(
      Coined(Words("a e i o u oa"),
             Words("ble de ffer fle ge le lter mble mmer nder ndle ne rble rkle te ve ze")));
  return words;
}

const std::vector<std::vector<std::string>>& Rhymes() {
  static const auto& rhymes = *new std::vector<std::vector<std::string>>{
      Words("moon noon spoon boon balloon"),
      Words("night light knight sight delight fright might"),
      Words("day clay play hay bay May"),
      Words("tear fear year spear gear"),
      Words("king ring spring wing string thing"),
      Words("gold cold fold marigold"),
      Words("shore lore core store"),
      Words("snow crow glow bow"),
      Words("wine vine pine brine"),
      Words("sleep sheep deep"),
      Words("name flame fame shame game"),
      Words("sound ground hound pound"),
      Words("bell shell spell farewell well"),
      Words("heart art cart dart"),
      Words("rose nose prose hose"),
      Words("fire desire attire mire"),
      Words("tree bee glee knee"),
      Words("love dove glove"),
  };
  return rhymes;
}

std::string WithS(const std::string& word) {
  const char last = word.back();
  const char before = word.size() > 1 ? word[word.size() - 2] : ' ';
  if (last == 'y' && !IsVowel(before)) {
    return absl::StrCat(word.substr(0, word.size() - 1), "ies");
  }
  const bool hisses = last == 's' || last == 'x' || last == 'z' ||
                      (last == 'h' && (before == 'c' || before == 's'));
  return absl::StrCat(word, hisses || word == "go" ? "es" : "s");
}

std::string Capitalized(std::string word) {
  word[0] = absl::ascii_toupper(word[0]);
  return word;
}

std::string InCapitals(std::string word) {
  absl::AsciiStrToUpper(&word);
  return word;
}

}  // namespace lemma::datasets
